CREATE TABLE "activities" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"target" text COLLATE "C",
	"detail" text COLLATE "C",
	"created_at" bigint NOT NULL
);

CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"key_hash" text COLLATE "C" NOT NULL,
	"scopes" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint,
	"expires_at" bigint,
	CONSTRAINT "api_keys_key_hash_unique" UNIQUE("key_hash")
);

CREATE TABLE "api_requests" (
	"user_id" text COLLATE "C" NOT NULL,
	"day" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "api_requests_user_id_day_key_id_pk" PRIMARY KEY("user_id","day","key_id")
);

CREATE TABLE "blobs" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"node" text COLLATE "C" NOT NULL,
	"upload_id" text COLLATE "C",
	"size" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"not_before" bigint NOT NULL,
	CONSTRAINT "blobs_size" CHECK ("size" >= 0)
);

CREATE TABLE "files" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"folder_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"mime_type" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"crc32" bigint NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"visibility" text COLLATE "C" NOT NULL,
	"uploaded_by" text COLLATE "C",
	"blob_id" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "files_size" CHECK ("size" >= 0)
);

CREATE TABLE "folders" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"parent_id" text COLLATE "C",
	"name" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);

CREATE TABLE "held_integrity" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"place" text COLLATE "C" NOT NULL,
	"problem" text COLLATE "C" NOT NULL,
	"found_at" bigint NOT NULL
);

CREATE TABLE "hosting_days" (
	"day" text COLLATE "C" PRIMARY KEY NOT NULL,
	"requests" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"not_found" bigint NOT NULL
);

CREATE TABLE "hosting_files" (
	"day" text COLLATE "C" NOT NULL,
	"file_id" text COLLATE "C" NOT NULL,
	"requests" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "hosting_files_file_id_day_pk" PRIMARY KEY("file_id","day")
);

CREATE TABLE "hosting_totals" (
	"file_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"requests" bigint NOT NULL,
	"bytes" bigint NOT NULL
);

CREATE TABLE "instance" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text COLLATE "C" NOT NULL
);

CREATE TABLE "integrity" (
	"file_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"problem" text COLLATE "C" NOT NULL,
	"found_at" bigint NOT NULL
);

CREATE TABLE "intents" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"plan" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL
);

CREATE TABLE "resumables" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C",
	"name" text COLLATE "C" NOT NULL,
	"folder" text COLLATE "C" NOT NULL,
	"visibility" text COLLATE "C",
	"metadata" text COLLATE "C" NOT NULL,
	"length" bigint NOT NULL,
	"received" bigint NOT NULL,
	"file_id" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);

CREATE TABLE "security_events" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"email" text COLLATE "C",
	"actor_id" text COLLATE "C",
	"ip_address" text COLLATE "C" NOT NULL,
	"user_agent" text COLLATE "C" NOT NULL,
	"detail" text COLLATE "C",
	"created_at" bigint NOT NULL
);

CREATE TABLE "sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"token_hash" text COLLATE "C" NOT NULL,
	"ip_address" text COLLATE "C" NOT NULL,
	"user_agent" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"remembered" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "sessions_token_hash_unique" UNIQUE("token_hash")
);

CREATE TABLE "settings" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" text COLLATE "C" NOT NULL
);

CREATE TABLE "trash" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"parent_id" text COLLATE "C" NOT NULL,
	"entry" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"size" bigint NOT NULL,
	"deleted_at" bigint NOT NULL,
	"deleted_by" text COLLATE "C",
	"purging" bigint NOT NULL
);

CREATE TABLE "trashed_files" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"trash_id" text COLLATE "C" NOT NULL,
	"folder_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"mime_type" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"crc32" bigint NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"visibility" text COLLATE "C" NOT NULL,
	"uploaded_by" text COLLATE "C",
	"blob_id" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);

CREATE TABLE "trashed_folders" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"trash_id" text COLLATE "C" NOT NULL,
	"parent_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);

CREATE TABLE "users" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"password_hash" text COLLATE "C" NOT NULL,
	"image" text COLLATE "C",
	"role" text COLLATE "C" NOT NULL,
	"custom_scopes" text COLLATE "C" NOT NULL,
	"disabled" bigint NOT NULL,
	"deleted" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);

CREATE TABLE "versions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"file_id" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"crc32" bigint NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"mime_type" text COLLATE "C" NOT NULL,
	"uploaded_by" text COLLATE "C",
	"blob_id" text COLLATE "C",
	"written_at" bigint NOT NULL,
	"replaced_at" bigint NOT NULL
);

ALTER TABLE "activities" ADD CONSTRAINT "activities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "api_requests" ADD CONSTRAINT "api_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "files" ADD CONSTRAINT "files_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "folders"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_id_folders_id_fk" FOREIGN KEY ("parent_id") REFERENCES "folders"("id") ON DELETE no action ON UPDATE no action;
ALTER TABLE "hosting_files" ADD CONSTRAINT "hosting_files_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "hosting_totals" ADD CONSTRAINT "hosting_totals_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "integrity" ADD CONSTRAINT "integrity_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "activities_user_created" ON "activities" USING btree ("user_id","created_at");
CREATE INDEX "activities_user_type_created" ON "activities" USING btree ("user_id","type","created_at");
CREATE INDEX "activities_created" ON "activities" USING btree ("created_at");
CREATE UNIQUE INDEX "api_keys_user_name" ON "api_keys" USING btree ("user_id","name");
CREATE INDEX "api_requests_day" ON "api_requests" USING btree ("day");
CREATE INDEX "blobs_unfinished" ON "blobs" USING btree ("state","not_before") WHERE "state" <> 'kept';
CREATE UNIQUE INDEX "files_folder_name" ON "files" USING btree ("folder_id","name");
CREATE INDEX "files_created" ON "files" USING btree ("created_at" desc,"id");
CREATE INDEX "files_updated" ON "files" USING btree ("updated_at" desc,"created_at" desc,"id");
CREATE INDEX "files_updated_ascending" ON "files" USING btree ("updated_at","created_at" desc,"id");
CREATE INDEX "files_name" ON "files" USING btree ("name","created_at" desc,"id");
CREATE INDEX "files_name_descending" ON "files" USING btree ("name" desc,"created_at" desc,"id");
CREATE INDEX "files_size" ON "files" USING btree ("size" desc,"created_at" desc,"id");
CREATE INDEX "files_size_ascending" ON "files" USING btree ("size","created_at" desc,"id");
CREATE INDEX "files_folder_created" ON "files" USING btree ("folder_id","created_at" desc,"id");
CREATE INDEX "files_folder_size" ON "files" USING btree ("folder_id","size");
CREATE UNIQUE INDEX "folders_parent_name" ON "folders" USING btree ("parent_id","name");
CREATE INDEX "hosting_files_day" ON "hosting_files" USING btree ("day");
CREATE INDEX "hosting_totals_requests" ON "hosting_totals" USING btree ("requests" desc,"file_id");
CREATE INDEX "resumables_user" ON "resumables" USING btree ("user_id");
CREATE INDEX "resumables_expires" ON "resumables" USING btree ("expires_at");
CREATE INDEX "security_events_created" ON "security_events" USING btree ("created_at");
CREATE INDEX "security_events_type_created" ON "security_events" USING btree ("type","created_at");
CREATE INDEX "security_events_user_created" ON "security_events" USING btree ("user_id","created_at");
CREATE INDEX "security_events_user_type_created" ON "security_events" USING btree ("user_id","type","created_at");
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");
CREATE INDEX "trash_deleted" ON "trash" USING btree ("deleted_at" desc,"id");
CREATE INDEX "trashed_files_folder" ON "trashed_files" USING btree ("trash_id","folder_id","name");
CREATE INDEX "trashed_folders_parent" ON "trashed_folders" USING btree ("trash_id","parent_id","name");
CREATE INDEX "versions_file" ON "versions" USING btree ("file_id","replaced_at" desc,"id" desc);
CREATE INDEX "versions_replaced" ON "versions" USING btree ("replaced_at","id")