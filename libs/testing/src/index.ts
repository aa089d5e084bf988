export {
  REPOSITORY,
  spawnApp,
  spawnGateway,
  type Exit,
  type SpawnedGateway,
  type StartedProcess,
} from './rigs/gateway-process';
export { freePort } from './rigs/free-port';
export { basicAuth } from './basic-auth';
export { ADMIN, startGateway, type GatewayOptions, type TestGateway } from './rigs/in-process-gateway';
export { createEmptyDatabase, createTestDatabase, type TestDatabase } from './rigs/test-database';
export { eventually } from './waiting';
export { MailServer, type ReceivedMail } from './rigs/mail-server';
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
  type RequestOnWire,
} from './partners';
export { startTraceCollector, type CollectedSpan, type TraceCollector } from './rigs/trace-collector';
