export type { KeyKind } from './algorithms';
export { freshKeys, type KeptKeys } from './key-freshness';
export { keysInUse, planRotation, type KeysInUse, type KeyTimes, type RotationPlan } from './key-rotation';
export { readJwks, readPublicKeyMember, writeJwks, type PartnerKey } from './partner-keys';
export type { KeyAnswer, PartnerKeys, SeenSignatures, SigningKeys } from './ports';
export { jwksDocument, publicKeyMember, type PublicSigningKey } from './published-keys';
export { signRequest, type RequestToSign, type SignatureHeaders } from './sign-request';
export {
  createSigningKey,
  keyIdOf,
  openSigningKey,
  type NewSigningKey,
  type SigningAlgorithm,
  type SigningKey,
} from './signing-key';
export {
  verifyRequest,
  type ReceivedRequest,
  type Verification,
  type VerificationContext,
} from './verify-request';
