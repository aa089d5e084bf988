export type { DavFault } from './dav-faults';
export { startDavPartner, type DavPartner, type DavRequest } from './dav-partner';
export type { DavFlavour, DavPartnerOptions, DavShare } from './dav-share';
export { DavTree, type DavContent, type DavNode } from './dav-tree';
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
  type PartnerOptions,
  type TakenShare,
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
  type WireRequest,
} from './signing-partner';
