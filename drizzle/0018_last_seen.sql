ALTER TABLE `users` ADD `last_seen_at` integer;--> statement-breakpoint
CREATE TRIGGER `sessions_removed` AFTER DELETE ON `sessions` BEGIN
	UPDATE `users` SET `last_seen_at` = max(ifnull(`last_seen_at`, 0), old.`used_at`) WHERE `id` = old.`user_id`;
END;--> statement-breakpoint
CREATE TRIGGER `api_keys_removed` AFTER DELETE ON `api_keys` WHEN old.`used_at` IS NOT NULL BEGIN
	UPDATE `users` SET `last_seen_at` = max(ifnull(`last_seen_at`, 0), old.`used_at`) WHERE `id` = old.`user_id`;
END;