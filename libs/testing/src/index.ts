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
  DavTree,
  ownCloudDocument,
  reply,
  replyJson,
  startDavPartner,
  startFakeServer,
  startLegacyServer,
  startMisbehaving,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  TEST_AUTHORITY,
  type DavContent,
  type DavFault,
  type DavFlavour,
  type DavNode,
  type DavPartner,
  type DavPartnerOptions,
  type DavRequest,
  type DavShare,
  type FakePartner,
  type FakeServer,
  type FakeServerOptions,
  type Handler,
  type Misbehaviour,
  type PartnerOptions,
  type RecordedRequest,
  type TakenShare,
} from './fake-partners';
