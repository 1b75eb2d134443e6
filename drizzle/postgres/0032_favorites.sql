CREATE TABLE "favorites" (
	"item_id" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "favorites_item_id_user_id_pk" PRIMARY KEY("item_id","user_id")
);

ALTER TABLE "favorites" ADD CONSTRAINT "favorites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "favorites_user" ON "favorites" USING btree ("user_id","created_at")