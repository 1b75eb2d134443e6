CREATE TABLE "sites" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"folder_id" text COLLATE "C" NOT NULL,
	"domains" text COLLATE "C" NOT NULL,
	"spa" bigint NOT NULL,
	"password_hash" text COLLATE "C",
	"expires_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "sites_name_unique" UNIQUE("name")
);
CREATE TRIGGER note_sites AFTER INSERT OR UPDATE OR DELETE ON sites
	FOR EACH STATEMENT EXECUTE FUNCTION note_kind('sites')
