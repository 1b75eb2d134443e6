CREATE TABLE "share_downloads" (
	"share_id" text COLLATE "C" NOT NULL,
	"visitor" text COLLATE "C" NOT NULL,
	"item" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"ranges" text COLLATE "C" NOT NULL,
	"is_finished" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "share_downloads_share_id_visitor_item_pk" PRIMARY KEY("share_id","visitor","item")
);

CREATE TABLE "share_items" (
	"share_id" text COLLATE "C" NOT NULL,
	"item_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	CONSTRAINT "share_items_share_id_item_id_pk" PRIMARY KEY("share_id","item_id")
);

CREATE TABLE "share_visits" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"share_id" text COLLATE "C" NOT NULL,
	"visitor" text COLLATE "C" NOT NULL,
	"what" text COLLATE "C" NOT NULL,
	"file_id" text COLLATE "C",
	"name" text COLLATE "C",
	"bytes" bigint NOT NULL,
	"ip_address" text COLLATE "C" NOT NULL,
	"user_agent" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL
);

CREATE TABLE "shares" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"title" text COLLATE "C",
	"note" text COLLATE "C",
	"can_read" bigint NOT NULL,
	"can_write" bigint NOT NULL,
	"password_hash" text COLLATE "C",
	"expires_at" bigint,
	"max_downloads" bigint,
	"downloads" bigint NOT NULL,
	"folder_id" text COLLATE "C",
	"max_files" bigint,
	"max_bytes" bigint,
	"types" text COLLATE "C",
	"received_files" bigint NOT NULL,
	"received_bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "shares_slug_unique" UNIQUE("slug")
);

ALTER TABLE "share_items" ADD CONSTRAINT "share_items_share_id_shares_id_fk" FOREIGN KEY ("share_id") REFERENCES "shares"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "shares" ADD CONSTRAINT "shares_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "share_downloads_created" ON "share_downloads" USING btree ("created_at");
CREATE INDEX "share_visits_share" ON "share_visits" USING btree ("share_id","created_at" desc,"id" desc);
CREATE INDEX "share_visits_visitor" ON "share_visits" USING btree ("share_id","visitor","what","created_at" desc);
CREATE INDEX "share_visits_created" ON "share_visits" USING btree ("created_at");
CREATE INDEX "shares_user" ON "shares" USING btree ("user_id","created_at" desc,"id")