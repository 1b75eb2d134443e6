CREATE TABLE `upload_links` (
	`nonce` text PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`expires_at` integer NOT NULL
);

--> statement-breakpoint
CREATE INDEX `upload_links_expires` ON `upload_links` (`expires_at`)