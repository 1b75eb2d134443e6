CREATE TABLE `blobs` (
	`id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`node` text NOT NULL,
	`upload_id` text,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	`not_before` integer NOT NULL,
	CONSTRAINT "blobs_size" CHECK("blobs"."size" >= 0)
);
--> statement-breakpoint
CREATE INDEX `blobs_unfinished` ON `blobs` (`state`,`not_before`) WHERE "blobs"."state" <> 'kept';--> statement-breakpoint
ALTER TABLE `files` ADD `blob_id` text;--> statement-breakpoint
ALTER TABLE `trashed_files` ADD `blob_id` text;--> statement-breakpoint
ALTER TABLE `versions` ADD `blob_id` text;