CREATE TABLE `version_total` (
	`id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `versions` (
	`id` text PRIMARY KEY NOT NULL,
	`file_id` text NOT NULL,
	`size` integer NOT NULL,
	`crc32` integer NOT NULL,
	`sha256` text NOT NULL,
	`mime_type` text NOT NULL,
	`uploaded_by` text,
	`written_at` integer NOT NULL,
	`replaced_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `versions_file` ON `versions` (`file_id`,"replaced_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX `versions_replaced` ON `versions` (`replaced_at`,`id`);--> statement-breakpoint
INSERT INTO `version_total` VALUES (1, 0, 0);--> statement-breakpoint
CREATE TRIGGER `versions_added` AFTER INSERT ON `versions` BEGIN
	UPDATE `version_total` SET `count` = `count` + 1, `size` = `size` + new.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `versions_removed` AFTER DELETE ON `versions` BEGIN
	UPDATE `version_total` SET `count` = `count` - 1, `size` = `size` - old.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `files_replaced` AFTER UPDATE OF `size` ON `files` WHEN old.`size` <> new.`size` BEGIN
	UPDATE `file_totals` SET `size` = `size` - old.`size` + new.`size`
		WHERE `mime_type` = new.`mime_type` AND `visibility` = new.`visibility`
			AND `mime_type` = old.`mime_type` AND `visibility` = old.`visibility`;
	UPDATE `file_days` SET `size` = `size` - old.`size` + new.`size`
		WHERE `day` = date(new.`created_at` / 1000, 'unixepoch');
END;
