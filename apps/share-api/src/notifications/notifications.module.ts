import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { NotificationRepository } from '#persistence';
import { TreeModule } from '#storage';
import { NotificationsController } from './notifications.controller';
import { UserNotifications } from './user-notifications';

/** Notifications of users. */
@Module({
  imports: [OcsHttpModule, TreeModule],
  controllers: [NotificationsController],
  providers: [NotificationRepository, UserNotifications],
})
export class NotificationsModule {}
