CREATE TABLE "sign_in_attempts" (
	"token_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"data" text COLLATE "C" NOT NULL,
	"wrong" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);

CREATE TABLE "authenticators" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"secret" text COLLATE "C" NOT NULL,
	"last_step" bigint NOT NULL,
	"enabled_at" bigint,
	"wrong" bigint NOT NULL,
	"locked_until" bigint NOT NULL
);

CREATE TABLE "device_codes" (
	"device_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_hash" text COLLATE "C" NOT NULL,
	"client_name" text COLLATE "C" NOT NULL,
	"scopes" text COLLATE "C" NOT NULL,
	"ip_address" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C",
	"polled_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "device_codes_user_hash_unique" UNIQUE("user_hash")
);

CREATE TABLE "identities" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"provider" text COLLATE "C" NOT NULL,
	"issuer" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint NOT NULL
);

CREATE TABLE "passkeys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"credential_id" text COLLATE "C" NOT NULL,
	"public_key" text COLLATE "C" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);

CREATE TABLE "recovery_codes" (
	"user_id" text COLLATE "C" NOT NULL,
	"code_hash" text COLLATE "C" NOT NULL,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);

CREATE TABLE "trusted_devices" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"token_hash" text COLLATE "C" NOT NULL,
	"user_agent" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "trusted_devices_token_hash_unique" UNIQUE("token_hash")
);

ALTER TABLE "sessions" ADD COLUMN "way" text COLLATE "C" DEFAULT 'password' NOT NULL;
ALTER TABLE "sessions" ADD COLUMN "confirmed_at" bigint;
ALTER TABLE "sessions" ADD COLUMN "voucher" text COLLATE "C";
ALTER TABLE "users" ADD COLUMN "second_factor" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "sign_in_attempts" ADD CONSTRAINT "sign_in_attempts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "device_codes" ADD CONSTRAINT "device_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "trusted_devices" ADD CONSTRAINT "trusted_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "sign_in_attempts_user" ON "sign_in_attempts" USING btree ("user_id");
CREATE INDEX "sign_in_attempts_expires" ON "sign_in_attempts" USING btree ("expires_at");
CREATE INDEX "device_codes_user" ON "device_codes" USING btree ("user_id");
CREATE INDEX "device_codes_expires" ON "device_codes" USING btree ("expires_at");
CREATE UNIQUE INDEX "identities_subject" ON "identities" USING btree ("issuer","subject");
CREATE INDEX "identities_user" ON "identities" USING btree ("user_id");
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id");
CREATE INDEX "trusted_devices_user" ON "trusted_devices" USING btree ("user_id");
CREATE INDEX "trusted_devices_expires" ON "trusted_devices" USING btree ("expires_at")