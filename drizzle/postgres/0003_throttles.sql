-- Counts of requests and failed sign-ins that nodes share. After a crash of the server they begin again.
CREATE UNLOGGED TABLE "throttles" (
	"bucket" text COLLATE "C" PRIMARY KEY,
	"count" bigint NOT NULL,
	"ends_at" timestamptz NOT NULL
);
CREATE INDEX "throttles_ends" ON "throttles" ("ends_at")
