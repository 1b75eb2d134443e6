CREATE TABLE "site_misses" (
	"site_id" text COLLATE "C" NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"last_at" bigint NOT NULL,
	CONSTRAINT "site_misses_site_id_path_pk" PRIMARY KEY("site_id","path")
);

ALTER TABLE "site_misses" ADD CONSTRAINT "site_misses_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE cascade ON UPDATE no action