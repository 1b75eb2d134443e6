-- Pieces of unfinished uploads, each a blob.
CREATE TABLE "pieces" (
	"upload_id" text COLLATE "C" NOT NULL,
	"first" bigint NOT NULL,
	"size" bigint NOT NULL,
	"blob_id" text COLLATE "C" NOT NULL,
	PRIMARY KEY ("upload_id", "first")
)
