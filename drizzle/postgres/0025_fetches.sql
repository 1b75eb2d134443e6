CREATE TABLE "fetches" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C",
	"url" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C",
	"folder" text COLLATE "C",
	"folder_id" text COLLATE "C",
	"max_bytes" bigint,
	"visibility" text COLLATE "C",
	"on_conflict" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"received_bytes" bigint NOT NULL,
	"size" bigint,
	"file_id" text COLLATE "C",
	"error" text COLLATE "C",
	"code" text COLLATE "C",
	"run" text COLLATE "C",
	"lease_until" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);

ALTER TABLE "fetches" ADD CONSTRAINT "fetches_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "fetches_user" ON "fetches" USING btree ("user_id","created_at");
CREATE INDEX "fetches_state" ON "fetches" USING btree ("state","created_at")