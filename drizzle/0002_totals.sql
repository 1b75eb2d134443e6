CREATE TABLE `api_requests` (
	`user_id` text NOT NULL,
	`day` text NOT NULL,
	`key_id` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`user_id`, `day`, `key_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `api_requests_day` ON `api_requests` (`day`);--> statement-breakpoint
CREATE TABLE `file_days` (
	`day` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `file_totals` (
	`mime_type` text NOT NULL,
	`visibility` text NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL,
	PRIMARY KEY(`mime_type`, `visibility`)
);
--> statement-breakpoint
CREATE TABLE `folder_total` (
	`id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `hosting_totals` (
	`file_id` text PRIMARY KEY NOT NULL,
	`requests` integer NOT NULL,
	`bytes` integer NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `hosting_totals_requests` ON `hosting_totals` ("requests" desc,`file_id`);--> statement-breakpoint
CREATE INDEX `activities_created` ON `activities` (`created_at`);--> statement-breakpoint
INSERT INTO `file_totals` SELECT `mime_type`, `visibility`, count(*), sum(`size`) FROM `files` GROUP BY 1, 2;--> statement-breakpoint
INSERT INTO `file_days` SELECT date(`created_at` / 1000, 'unixepoch'), count(*), sum(`size`) FROM `files` GROUP BY 1;--> statement-breakpoint
INSERT INTO `folder_total` SELECT 1, count(*) FROM `folders`;--> statement-breakpoint
INSERT INTO `hosting_totals` SELECT `file_id`, sum(`requests`), sum(`bytes`) FROM `hosting_files` GROUP BY 1;--> statement-breakpoint
CREATE TRIGGER `files_added` AFTER INSERT ON `files` BEGIN
	INSERT INTO `file_totals` VALUES (new.`mime_type`, new.`visibility`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
	INSERT INTO `file_days` VALUES (date(new.`created_at` / 1000, 'unixepoch'), 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `files_removed` AFTER DELETE ON `files` BEGIN
	UPDATE `file_totals` SET `count` = `count` - 1, `size` = `size` - old.`size`
		WHERE `mime_type` = old.`mime_type` AND `visibility` = old.`visibility`;
	UPDATE `file_days` SET `count` = `count` - 1, `size` = `size` - old.`size`
		WHERE `day` = date(old.`created_at` / 1000, 'unixepoch');
END;--> statement-breakpoint
CREATE TRIGGER `files_changed` AFTER UPDATE OF `mime_type`, `visibility` ON `files`
	WHEN old.`mime_type` <> new.`mime_type` OR old.`visibility` <> new.`visibility` BEGIN
	UPDATE `file_totals` SET `count` = `count` - 1, `size` = `size` - old.`size`
		WHERE `mime_type` = old.`mime_type` AND `visibility` = old.`visibility`;
	INSERT INTO `file_totals` VALUES (new.`mime_type`, new.`visibility`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `folders_added` AFTER INSERT ON `folders` BEGIN
	UPDATE `folder_total` SET `count` = `count` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `folders_removed` AFTER DELETE ON `folders` BEGIN
	UPDATE `folder_total` SET `count` = `count` - 1;
END;--> statement-breakpoint
CREATE TRIGGER `hosting_files_added` AFTER INSERT ON `hosting_files` BEGIN
	INSERT INTO `hosting_totals` VALUES (new.`file_id`, new.`requests`, new.`bytes`)
		ON CONFLICT DO UPDATE SET `requests` = `requests` + excluded.`requests`, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `hosting_files_changed` AFTER UPDATE ON `hosting_files` BEGIN
	UPDATE `hosting_totals`
		SET `requests` = `requests` - old.`requests` + new.`requests`, `bytes` = `bytes` - old.`bytes` + new.`bytes`
		WHERE `file_id` = new.`file_id`;
END;--> statement-breakpoint
CREATE TRIGGER `hosting_files_removed` AFTER DELETE ON `hosting_files` BEGIN
	UPDATE `hosting_totals` SET `requests` = `requests` - old.`requests`, `bytes` = `bytes` - old.`bytes`
		WHERE `file_id` = old.`file_id`;
	DELETE FROM `hosting_totals` WHERE `file_id` = old.`file_id` AND `requests` = 0;
END;
