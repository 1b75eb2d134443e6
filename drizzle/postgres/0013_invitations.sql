CREATE TABLE "invitations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"token_hash" text COLLATE "C" NOT NULL,
	"email" text COLLATE "C",
	"role" text COLLATE "C" NOT NULL,
	"custom_scopes" text COLLATE "C" NOT NULL,
	"note" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"used_at" bigint,
	"used_by" text COLLATE "C",
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash")
);

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "invitations_user" ON "invitations" USING btree ("user_id");
CREATE INDEX "invitations_expires" ON "invitations" USING btree ("expires_at")