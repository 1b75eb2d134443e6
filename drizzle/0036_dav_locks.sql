CREATE TABLE `dav_locks` (
	`token` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`is_deep` integer NOT NULL,
	`is_shared` integer NOT NULL,
	`user_id` text NOT NULL,
	`owner` text NOT NULL,
	`timeout_ms` integer NOT NULL,
	`expires_at` integer NOT NULL
)