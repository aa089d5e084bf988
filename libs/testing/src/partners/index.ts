export type { DavFault } from './dav-faults';
export { startDavPartner, type DavPartner } from './dav-partner';
export type { DavPartnerOptions, DavShare } from './dav-share';
export {
  reply,
  replyJson,
  startFakeServer,
  TEST_AUTHORITY,
  type FakeServer,
  type Handler,
  type RecordedRequest,
} from './fake-server';
export {
  ownCloudDocument,
  startMisbehaving,
  type MisbehavingOptions,
  type Misbehaviour,
} from './misbehaving-partner';
export {
  startLegacyServer,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
} from './product-partners';
export {
  deliver,
  startSigningPartner,
  unsigned,
  type SigningPartner,
  type SigningScheme,
  type SignOptions,
  type UnsignedRequest,
  type WireAnswer,
  type RequestOnWire,
} from './signing-partner';
