FROM oven/bun:1.4.5-slim AS build
WORKDIR /app
# Dependencies first, so that a change of the source does not install them again. The runtime is here already:
# no script has to fetch it.
COPY package.json bun.lock LICENSE ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY bunfig.toml tsconfig.json ./
COPY drizzle ./drizzle
COPY src ./src
COPY CHANGELOG.md SECURITY.md ./
COPY docs ./docs
RUN bun --bun run build

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Holdfast" \
  org.opencontainers.image.description="The file host you run yourself" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="MIT"
RUN useradd --uid 1000 --user-group --no-create-home --shell /usr/sbin/nologin holdfast \
  && install --directory --owner=holdfast --group=holdfast --mode=0700 /data
COPY --from=build /app/dist/holdfast /usr/local/bin/holdfast
# A number, with which Kubernetes can tell that it is not root.
USER 1000:1000
ENV DATA_PATH=/data
VOLUME /data
EXPOSE 3000
# The binary is its own client: there is no other in the image.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD BUN_BE_BUN=1 holdfast -e 'const { ok } = await fetch(`http://localhost:${process.env.PORT || 3000}/api/health`); process.exit(ok ? 0 : 1)'
ENTRYPOINT ["holdfast"]
