# Dependencies only, so that a change of the source does not install them again.
FROM oven/bun:1.4.5-slim AS dependencies
WORKDIR /app
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --production --ignore-scripts

# The dashboard needs what only the build needs.
FROM oven/bun:1.4.5-slim AS dashboard
WORKDIR /app
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY tsconfig.json ./
COPY build ./build
COPY src ./src
RUN bun build/dashboard.ts

FROM oven/bun:1.4.5-slim
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json bunfig.toml tsconfig.json ./
COPY drizzle ./drizzle
COPY src ./src
COPY --from=dashboard /app/dist/dashboard ./dist/dashboard
RUN mkdir /data && chown bun:bun /data
USER bun
ENV DATA_PATH=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=3s \
  CMD ["bun", "-e", "const { ok } = await fetch(`http://localhost:${process.env.PORT || 3000}/api/health`); process.exit(ok ? 0 : 1)"]
CMD ["bun", "src/main.ts"]
