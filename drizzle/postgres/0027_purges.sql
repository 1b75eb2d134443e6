CREATE TABLE "purges" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"failed_at" bigint,
	"sent_at" bigint
)