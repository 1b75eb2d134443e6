CREATE TABLE "dav_locks" (
	"token" text COLLATE "C" PRIMARY KEY NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"is_deep" bigint NOT NULL,
	"is_shared" bigint NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"owner" text COLLATE "C" NOT NULL,
	"timeout_ms" bigint NOT NULL,
	"expires_at" bigint NOT NULL
)