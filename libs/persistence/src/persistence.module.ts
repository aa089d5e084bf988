import {
  Global,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  CONFIG,
  type Config,
  ConfigError,
  ErrorPresenters,
  LOGGER,
  type Logger,
  Metrics,
  OutageLog,
  Readiness,
  SecretBox,
  Unavailable,
  PRODUCT_VERSION,
} from '#platform';
import { ChangeFeed } from './change-feed';
import { isConnectionFailure } from './connection-failure';
import { Database } from './database';
import { UserAccountEntity } from './entities/accounts/user-account.entity';
import { GroupRemoteMemberEntity } from './entities/accounts/group-remote-member.entity';
import {
  GroupMemberEntity,
  GroupSubadminEntity,
  UserGroupEntity,
} from './entities/accounts/user-group.entity';
import { CapabilityEntryEntity, SettingEntity } from './entities/operation/setting.entity';
import { countReads, watchDatabase } from './instance-metrics';
import { agreeOnLookupKey } from './lookup-key';
import { missingMigrations } from './migrate';
import { poolerOf } from './pooler';
import { AuditEventEntity } from './entities/audit/audit-event.entity';
import { ContactEntity } from './entities/partners/contact.entity';
import { DirectoryServiceEntity } from './entities/partners/directory-service.entity';
import { OfferBlockEntity } from './entities/partners/offer-block.entity';
import { PartnerRenameEntity } from './entities/partners/partner-rename.entity';
import { OfferReportEntity } from './entities/partners/offer-report.entity';
import { MailLookupEntity } from './entities/partners/mail-lookup.entity';
import { ForeignLinkEntity } from './entities/partners/foreign-link.entity';
import { InvitationAcceptanceEntity, InvitationEntity } from './entities/partners/invitation.entity';
import { SigningKeyEntity } from './entities/trust/signing-key.entity';
import { DeliveryAdministrationRepository } from './repositories/deliveries/delivery-administration.repository';
import { DeliveryFiguresRepository } from './repositories/deliveries/delivery-figures.repository';
import { BackgroundMoveRepository } from './repositories/files/background-move.repository';
import { InstanceHealthRepository, processName } from './repositories/operation/instance-health.repository';
import { OperationSampleRepository } from './repositories/operation/operation-sample.repository';
import { PeerAdministrationRepository } from './repositories/partners/peer-administration.repository';
import { InboxShareRepository } from './repositories/shares/inbox-share.repository';
import { PartnerKeysRepository } from './repositories/trust/partner-keys.repository';
import { AuditLogRepository } from './repositories/audit/audit-log.repository';
import { AuditRepository } from './repositories/audit/audit.repository';
import { MountRepository } from './repositories/files/mount.repository';
import { NodePropertyRepository } from './repositories/files/node-property.repository';
import { VersionExpiryRepository } from './repositories/files/version-expiry.repository';
import { TrashExpiryRepository } from './repositories/files/trash-expiry.repository';
import { PartnerGateRepository } from './repositories/partners/partner-gate.repository';
import { PeerTrustRepository } from './repositories/partners/peer-trust.repository';
import { DoubtedShareRepository } from './repositories/shares/doubted-share.repository';
import { EndedShareRepository } from './repositories/shares/ended-share.repository';
import { PartnerShareRepository } from './repositories/shares/partner-share.repository';
import { PublicLinkRepository } from './repositories/shares/public-link.repository';
import { ShareRepository } from './repositories/shares/share.repository';
import { statement } from './statement';

const PING = statement({
  name: 'database.ping',
  sql: 'SELECT 1',
});

const RETRY_AFTER_SECONDS = 5;

/** Failure for callers while the database is away. */
const readFailure = (error: unknown): Unavailable | undefined =>
  isConnectionFailure(error)
    ? new Unavailable('the database cannot be reached', RETRY_AFTER_SECONDS, { cause: error })
    : undefined;

/** Opens and closes the database with the process. Refuses a schema that is too old, and a wrong encryption key. */
@Injectable()
class DatabaseLifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
    private readonly secrets: SecretBox,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
    readiness: Readiness,
    presenters: ErrorPresenters,
  ) {
    presenters.addReader(readFailure);
    readiness.add('database', () => database.rows(PING));
    watchDatabase(metrics, database);
  }

  async onModuleInit(): Promise<void> {
    const missing = await missingMigrations(this.database);
    if (missing.length > 0)
      throw new ConfigError(
        `The database schema is older than this version (${missing.join(', ')} missing): run 'drawbridge migrate' first.`,
      );
    await agreeOnLookupKey(this.database, this.secrets);
    await this.feed.start();
    this.useReplica();
  }

  private useReplica(): void {
    const { replica } = this.database;
    if (!replica) return;
    const outage = new OutageLog(this.logger.child({ subsystem: 'database' }), 'the read replica');
    const answered = countReads(this.metrics);
    replica.start({
      answered,
      failed: (error) => outage.failed(error),
      worked: () => outage.worked(),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed.stop();
    await this.database.close();
  }
}

/** Repositories whose statements run on the pool. Other code makes them for one transaction. */
const ON_THE_POOL = [
  AuditRepository,
  BackgroundMoveRepository,
  DeliveryAdministrationRepository,
  DeliveryFiguresRepository,
  DoubtedShareRepository,
  EndedShareRepository,
  InboxShareRepository,
  InstanceHealthRepository,
  MountRepository,
  NodePropertyRepository,
  OperationSampleRepository,
  PartnerGateRepository,
  PartnerKeysRepository,
  PartnerShareRepository,
  PeerAdministrationRepository,
  PeerTrustRepository,
  PublicLinkRepository,
  TrashExpiryRepository,
  VersionExpiryRepository,
];

/** Providers with one instance per process for all its apps. */
const SHARED = [ShareRepository, AuditLogRepository];

/** Entities for `@InjectRepository` in every module. */
const INJECTED_ENTITIES = TypeOrmModule.forFeature([
  UserAccountEntity,
  UserGroupEntity,
  GroupMemberEntity,
  GroupRemoteMemberEntity,
  GroupSubadminEntity,
  AuditEventEntity,
  SigningKeyEntity,
  ContactEntity,
  DirectoryServiceEntity,
  OfferBlockEntity,
  OfferReportEntity,
  PartnerRenameEntity,
  InvitationEntity,
  InvitationAcceptanceEntity,
  ForeignLinkEntity,
  MailLookupEntity,
  SettingEntity,
  CapabilityEntryEntity,
]);

/** The database connection and the feed of changes, one of each per process. */
@Global()
@Module({
  imports: [INJECTED_ENTITIES],
  providers: [
    {
      provide: Database,
      inject: [CONFIG],
      useFactory: (config: Config) =>
        Database.connect({
          url: databaseUrl(config),
          poolSize: config.DATABASE_POOL,
          applicationName: processName(PRODUCT_VERSION),
          pooler: poolerOf(config),
          replicaUrl: config.DATABASE_REPLICA_URL,
        }),
    },
    { provide: DataSource, inject: [Database], useFactory: (database: Database) => database.dataSource },
    {
      provide: ChangeFeed,
      inject: [CONFIG],
      useFactory: (config: Config) => new ChangeFeed(databaseUrl(config)),
    },
    DatabaseLifecycle,
    ...SHARED,
    ...ON_THE_POOL.map((repository) => ({
      provide: repository,
      inject: [Database],
      useFactory: (database: Database) => new repository(database),
    })),
  ],
  exports: [Database, DataSource, ChangeFeed, INJECTED_ENTITIES, ...SHARED, ...ON_THE_POOL],
})
export class PersistenceModule {}

function databaseUrl(config: Config): string {
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is not set.');
  return config.DATABASE_URL;
}
