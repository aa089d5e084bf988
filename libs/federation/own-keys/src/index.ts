export { OwnKeys } from './own-keys';
export { OwnKeysModule } from './own-keys.module';
export { rotateSigningKey, type NewKey } from './rotate-signing-key';
