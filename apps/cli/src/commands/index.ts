import type { Command } from '../command';
import { APP_PASSWORD_COMMANDS } from './app-password';
import { SECOND_FACTOR_COMMANDS } from './second-factor';
import { SCIM_CLIENT_COMMANDS } from './scim-client';
import { AUDIT_COMMANDS } from './audit';
import { BACKUP_COMMAND } from './backup';
import { BACKUP_REHEARSE_COMMAND } from './backup-rehearse';
import { CAPABILITY_COMMANDS } from './capability';
import { DIRECTORY_COMMANDS } from './directory';
import { DIRECTORY_SERVICE_COMMANDS } from './directory-service';
import { DELIVERY_COMMANDS } from './delivery';
import { DOCTOR_COMMAND } from './doctor';
import { FILES_COMMANDS } from './files';
import { GROUP_COMMANDS } from './group';
import { INVITATION_COMMANDS } from './invitation';
import { FOREIGN_LINK_COMMAND } from './foreign-link';
import { KEPT_FILES_COMMANDS } from './kept-files';
import { KEY_COMMANDS } from './key';
import { MIGRATE_COMMAND } from './migrate';
import { PEER_COMMANDS } from './peer';
import { PEER_PIN_COMMANDS } from './peer-pin';
import { PEER_PROBE_COMMAND } from './peer-probe';
import { PEER_RENAME_COMMAND } from './peer-rename';
import { PEER_SIGNATURES_COMMAND } from './peer-signatures';
import { PEER_TRUST_COMMAND } from './peer-trust';
import { QUARANTINE_COMMANDS } from './quarantine';
import { RESTORE_COMMAND } from './restore';
import { SETTING_COMMANDS } from './setting';
import { SHARE_COMMANDS } from './share';
import { SIGNING_KEY_COMMANDS } from './signing-key';
import { STORED_WRITE_COMMANDS } from './stored-write';
import { STATUS_COMMAND } from './status';
import { USER_COMMANDS } from './user';

/** Every command, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
  ...USER_COMMANDS,
  ...APP_PASSWORD_COMMANDS,
  ...SECOND_FACTOR_COMMANDS,
  ...SCIM_CLIENT_COMMANDS,
  ...DIRECTORY_COMMANDS,
  ...GROUP_COMMANDS,
  ...SHARE_COMMANDS,
  ...FILES_COMMANDS,
  ...KEPT_FILES_COMMANDS,
  ...QUARANTINE_COMMANDS,
  ...SETTING_COMMANDS,
  ...CAPABILITY_COMMANDS,
  ...PEER_COMMANDS,
  ...PEER_PIN_COMMANDS,
  PEER_PROBE_COMMAND,
  PEER_RENAME_COMMAND,
  PEER_SIGNATURES_COMMAND,
  PEER_TRUST_COMMAND,
  ...INVITATION_COMMANDS,
  ...DIRECTORY_SERVICE_COMMANDS,
  FOREIGN_LINK_COMMAND,
  ...DELIVERY_COMMANDS,
  ...STORED_WRITE_COMMANDS,
  ...KEY_COMMANDS,
  ...AUDIT_COMMANDS,
  ...SIGNING_KEY_COMMANDS,
  BACKUP_COMMAND,
  BACKUP_REHEARSE_COMMAND,
  RESTORE_COMMAND,
  MIGRATE_COMMAND,
  STATUS_COMMAND,
  DOCTOR_COMMAND,
];
