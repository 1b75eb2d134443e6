CREATE TABLE "upload_links" (
	"nonce" text COLLATE "C" PRIMARY KEY NOT NULL,
	"file_id" text COLLATE "C" NOT NULL,
	"expires_at" bigint NOT NULL
);

CREATE INDEX "upload_links_expires" ON "upload_links" USING btree ("expires_at")