import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { PersistenceModule } from '#persistence';
import { AuditLog } from './audit-log';
import { AuditLogController } from './audit-log.controller';
import { RefusedAttempts } from './refused-attempts';

/** The audit log for administrators, and events that no trigger of a table can record. */
@Module({
  imports: [OcsHttpModule, PersistenceModule],
  controllers: [AuditLogController],
  providers: [AuditLog, RefusedAttempts],
  exports: [RefusedAttempts],
})
export class AuditModule {}
