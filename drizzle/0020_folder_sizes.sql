CREATE TABLE `folder_sizes` (
	`folder_id` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `folder_sizes` SELECT `folder_id`, count(*), sum(`size`) FROM `files` GROUP BY 1;--> statement-breakpoint
CREATE TRIGGER `files_arrived` AFTER INSERT ON `files` BEGIN
	INSERT INTO `folder_sizes` VALUES (new.`folder_id`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
END;--> statement-breakpoint
CREATE TRIGGER `files_left` AFTER DELETE ON `files` BEGIN
	UPDATE `folder_sizes` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `folder_id` = old.`folder_id`;
	DELETE FROM `folder_sizes` WHERE `folder_id` = old.`folder_id` AND `count` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `files_moved` AFTER UPDATE OF `folder_id`, `size` ON `files`
	WHEN old.`folder_id` <> new.`folder_id` OR old.`size` <> new.`size` BEGIN
	INSERT INTO `folder_sizes` VALUES (new.`folder_id`, 1, new.`size`)
		ON CONFLICT DO UPDATE SET `count` = `count` + 1, `size` = `size` + excluded.`size`;
	UPDATE `folder_sizes` SET `count` = `count` - 1, `size` = `size` - old.`size` WHERE `folder_id` = old.`folder_id`;
	DELETE FROM `folder_sizes` WHERE `folder_id` = old.`folder_id` AND `count` = 0;
END;
