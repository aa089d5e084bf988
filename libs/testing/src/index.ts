export {
  REPOSITORY,
  spawnApp,
  spawnGateway,
  type Exit,
  type SpawnedGateway,
  type StartedProcess,
} from './gateway-process';
export { ADMIN, basicAuth, startGateway, type GatewayOptions, type TestGateway } from './in-process-gateway';
export { createEmptyDatabase, createTestDatabase, type TestDatabase } from './test-database';
export { eventually } from './waiting';
export { MailServer, type ReceivedMail } from './mail-server';
export {
  deliver,
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
  startSigningPartner,
  TEST_AUTHORITY,
  unsigned,
  type DavFault,
  type DavPartner,
  type DavPartnerOptions,
  type DavShare,
  type FakePartner,
  type FakeServer,
  type Handler,
  type Misbehaviour,
  type RecordedRequest,
  type SigningPartner,
  type SigningScheme,
  type SignOptions,
  type UnsignedRequest,
  type WireAnswer,
  type WireRequest,
} from './fake-partners';
export { startTraceCollector, type CollectedSpan, type TraceCollector } from './trace-collector';
