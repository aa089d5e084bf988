import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { SettingsModule } from '#settings';
import { DeliveriesController } from './deliveries.controller';
import { DoctorRun } from './doctor-run';
import { OperatedDeliveries } from './operated-deliveries';
import { OperatedLists } from './operated-lists';
import { OperatedListsController } from './operated-lists.controller';
import { OperatedPartners } from './operated-partners';
import { OperatedRenames } from './operated-renames';
import { PartnerRenamesController } from './partner-renames.controller';
import { OperatedPartnersController } from './operated-partners.controller';
import { OperationOverview } from './operation-overview';
import { OperationOverviewController } from './operation-overview.controller';
import { SettingListController } from './setting-list.controller';

/** Calls for operators: partners, messages and settings of a running instance. */
@Module({
  imports: [OcsHttpModule, PersistenceModule, QueueModule, SettingsModule],
  controllers: [
    DeliveriesController,
    OperationOverviewController,
    OperatedListsController,
    OperatedPartnersController,
    PartnerRenamesController,
    SettingListController,
  ],
  providers: [
    DoctorRun,
    OperatedDeliveries,
    OperatedLists,
    OperatedPartners,
    OperatedRenames,
    OperationOverview,
  ],
})
export class OperatorsModule {}
