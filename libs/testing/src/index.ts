export {
  REPOSITORY,
  spawnApp,
  spawnGateway,
  type Exit,
  type ProcessOptions,
  type SpawnedGateway,
  type StartedProcess,
} from './gateway-process';
export { ADMIN, basicAuth, startGateway, type GatewayOptions, type TestGateway } from './in-process-gateway';
export { createEmptyDatabase, createTestDatabase, type TestDatabase } from './test-database';
export { eventually } from './waiting';
export { MailServer, type ReceivedMail, type RecipientVerdict } from './mail-server';
export {
  ownCloudDocument,
  reply,
  replyJson,
  startFakeServer,
  startLegacyServer,
  startMisbehaving,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  TEST_AUTHORITY,
  type FakePartner,
  type FakeServer,
  type FakeServerOptions,
  type Handler,
  type Misbehaviour,
  type PartnerOptions,
  type RecordedRequest,
  type TakenShare,
} from './fake-partners';
