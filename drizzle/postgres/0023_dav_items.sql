CREATE TABLE "dav_items" (
	"item_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"modified_at" bigint,
	"sha256" text COLLATE "C",
	"properties" text COLLATE "C" NOT NULL
)