import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { NotificationRepository } from '#persistence';
import { NotificationsController } from './notifications.controller';
import { UserNotifications } from './user-notifications';

/** Notifications of users. */
@Module({
  imports: [OcsHttpModule],
  controllers: [NotificationsController],
  providers: [NotificationRepository, UserNotifications],
})
export class NotificationsModule {}
