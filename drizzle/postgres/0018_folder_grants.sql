CREATE TABLE "folder_grants" (
	"folder_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"rights" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"created_by" text COLLATE "C",
	CONSTRAINT "folder_grants_folder_id_user_id_pk" PRIMARY KEY("folder_id","user_id")
);

ALTER TABLE "api_keys" ADD COLUMN "folder_id" text COLLATE "C";
ALTER TABLE "invitations" ADD COLUMN "grants" text COLLATE "C";
ALTER TABLE "users" ADD COLUMN "limited" bigint DEFAULT 0 NOT NULL;
CREATE INDEX "folder_grants_user" ON "folder_grants" USING btree ("user_id")