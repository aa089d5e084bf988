import type { Command } from '../command';
import { CAPABILITY_COMMANDS } from './capability';
import { DELIVERY_COMMANDS } from './delivery';
import { FILES_COMMANDS } from './files';
import { GROUP_COMMANDS } from './group';
import { INVITATION_COMMANDS } from './invitation';
import { KEY_COMMANDS } from './key';
import { MIGRATE_COMMAND } from './migrate';
import { PEER_COMMANDS } from './peer';
import { PEER_PIN_COMMANDS } from './peer-pin';
import { PEER_PROBE_COMMAND } from './peer-probe';
import { PEER_RENAME_COMMAND } from './peer-rename';
import { PEER_TRUST_COMMAND } from './peer-trust';
import { SETTING_COMMANDS } from './setting';
import { SHARE_COMMANDS } from './share';
import { STATUS_COMMAND } from './status';
import { USER_COMMANDS } from './user';

/** Every command, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
  ...USER_COMMANDS,
  ...GROUP_COMMANDS,
  ...SHARE_COMMANDS,
  ...FILES_COMMANDS,
  ...SETTING_COMMANDS,
  ...CAPABILITY_COMMANDS,
  ...PEER_COMMANDS,
  ...PEER_PIN_COMMANDS,
  PEER_PROBE_COMMAND,
  PEER_RENAME_COMMAND,
  PEER_TRUST_COMMAND,
  ...INVITATION_COMMANDS,
  ...DELIVERY_COMMANDS,
  ...KEY_COMMANDS,
  MIGRATE_COMMAND,
  STATUS_COMMAND,
];
