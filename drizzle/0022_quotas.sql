CREATE TABLE `quotas` (
	`user_id` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `uploader_totals` (
	`user_id` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL
);--> statement-breakpoint
INSERT INTO `uploader_totals` SELECT `uploaded_by`, count(*), sum(`size`) FROM (
		SELECT `uploaded_by`, `size` FROM `files` UNION ALL SELECT `uploaded_by`, `size` FROM `trashed_files`
		UNION ALL SELECT `uploaded_by`, `size` FROM `versions`
	) WHERE `uploaded_by` IS NOT NULL GROUP BY 1;--> statement-breakpoint
CREATE TRIGGER `files_counted` AFTER INSERT ON `files` WHEN new.`uploaded_by` IS NOT NULL BEGIN
	INSERT INTO `uploader_totals` VALUES (new.`uploaded_by`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `files_discounted` AFTER DELETE ON `files` WHEN old.`uploaded_by` IS NOT NULL BEGIN
	UPDATE `uploader_totals` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `user_id` = old.`uploaded_by`;
END;--> statement-breakpoint
CREATE TRIGGER `trashed_files_counted` AFTER INSERT ON `trashed_files` WHEN new.`uploaded_by` IS NOT NULL BEGIN
	INSERT INTO `uploader_totals` VALUES (new.`uploaded_by`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `trashed_files_discounted` AFTER DELETE ON `trashed_files` WHEN old.`uploaded_by` IS NOT NULL BEGIN
	UPDATE `uploader_totals` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `user_id` = old.`uploaded_by`;
END;--> statement-breakpoint
CREATE TRIGGER `versions_counted` AFTER INSERT ON `versions` WHEN new.`uploaded_by` IS NOT NULL BEGIN
	INSERT INTO `uploader_totals` VALUES (new.`uploaded_by`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `versions_discounted` AFTER DELETE ON `versions` WHEN old.`uploaded_by` IS NOT NULL BEGIN
	UPDATE `uploader_totals` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `user_id` = old.`uploaded_by`;
END;--> statement-breakpoint
CREATE TRIGGER `files_recounted` AFTER UPDATE OF `size`, `uploaded_by` ON `files`
	WHEN old.`size` <> new.`size` OR old.`uploaded_by` IS NOT new.`uploaded_by` BEGIN
	UPDATE `uploader_totals` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `user_id` = old.`uploaded_by`;
	INSERT INTO `uploader_totals` SELECT new.`uploaded_by`, 1, new.`size` WHERE new.`uploaded_by` IS NOT NULL
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;