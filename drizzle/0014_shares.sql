CREATE TABLE `share_downloads` (
	`share_id` text NOT NULL,
	`visitor` text NOT NULL,
	`item` text NOT NULL,
	`size` integer NOT NULL,
	`ranges` text NOT NULL,
	`is_finished` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`share_id`, `visitor`, `item`)
);
--> statement-breakpoint
CREATE INDEX `share_downloads_created` ON `share_downloads` (`created_at`);--> statement-breakpoint
CREATE TABLE `share_items` (
	`share_id` text NOT NULL,
	`item_id` text NOT NULL,
	`kind` text NOT NULL,
	PRIMARY KEY(`share_id`, `item_id`),
	FOREIGN KEY (`share_id`) REFERENCES `shares`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `share_visits` (
	`id` text PRIMARY KEY NOT NULL,
	`share_id` text NOT NULL,
	`visitor` text NOT NULL,
	`what` text NOT NULL,
	`file_id` text,
	`name` text,
	`bytes` integer NOT NULL,
	`ip_address` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `share_visits_share` ON `share_visits` (`share_id`,"created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX `share_visits_visitor` ON `share_visits` (`share_id`,`visitor`,`what`,"created_at" desc);--> statement-breakpoint
CREATE INDEX `share_visits_created` ON `share_visits` (`created_at`);--> statement-breakpoint
CREATE TABLE `shares` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`user_id` text NOT NULL,
	`title` text,
	`note` text,
	`can_read` integer NOT NULL,
	`can_write` integer NOT NULL,
	`password_hash` text,
	`expires_at` integer,
	`max_downloads` integer,
	`downloads` integer NOT NULL,
	`folder_id` text,
	`max_files` integer,
	`max_bytes` integer,
	`types` text,
	`received_files` integer NOT NULL,
	`received_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shares_slug_unique` ON `shares` (`slug`);--> statement-breakpoint
CREATE INDEX `shares_user` ON `shares` (`user_id`,"created_at" desc,`id`);