ALTER TABLE `resumables` ADD `share_id` text;--> statement-breakpoint
ALTER TABLE `resumables` ADD `visitor` text;--> statement-breakpoint
CREATE INDEX `resumables_share` ON `resumables` (`share_id`,`visitor`);