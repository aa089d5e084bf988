export {
  reply,
  replyJson,
  startFakeServer,
  TEST_AUTHORITY,
  type FakeServer,
  type FakeServerOptions,
  type Handler,
  type RecordedRequest,
} from './fake-server';
export { ownCloudDocument, startMisbehaving, type Misbehaviour } from './misbehaving-partner';
export {
  startLegacyServer,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
  type PartnerOptions,
  type TakenShare,
} from './product-partners';
