export { freshKeys } from './key-freshness';
export { keysInUse, planRotation, type KeysInUse, type RotationPlan } from './key-rotation';
export { readJwks, readPublicKeyMember, writeJwks, type PartnerKey } from './partner-keys';
export type { KeyAnswer, PartnerKeys, SeenSignatures, SigningKeys } from './ports';
export { jwksDocument, publicKeyMember, type PublicSigningKey } from './published-keys';
export { signRequest, type SignatureHeaders } from './sign-request';
export {
  createSigningKey,
  keyIdOf,
  openSigningKey,
  type NewSigningKey,
  type SigningAlgorithm,
  type SigningKey,
} from './signing-key';
export { verifyRequest, type ReceivedRequest, type Verification } from './verify-request';
