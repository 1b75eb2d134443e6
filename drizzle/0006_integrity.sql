CREATE TABLE `integrity` (
	`file_id` text PRIMARY KEY NOT NULL,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
