import { parseSettingValue } from '#sharing';
import { ProvisioningFailed } from './provisioning-failed';

/** Yes-or-no settings of users, with the names of deployed servers (`app/key`) where they have them. Source: ocs-facts 13. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['files_sharing/auto_accept_share', 'yes'],
  ['federatedfilesharing/auto_accept_share_trusted', 'yes'],
  ['files_sharing/allow_share_dialog_user_enumeration', 'yes'],
  ['federation/in_address_book', 'no'],
  ['federation/found_by_mail', 'no'],
]);

/** The value without a choice of the user. @throws ProvisioningFailed preference-unknown */
export function defaultPreference(app: string, key: string): string {
  const value = DEFAULTS.get(`${app}/${key}`);
  if (value === undefined)
    throw new ProvisioningFailed('preference-unknown', `There is no preference ${app}/${key}`.slice(0, 200));
  return value;
}

/** The value in its stored form. @throws ProvisioningFailed preference-unknown, preference-refused */
export function parsePreference(app: string, key: string, raw: string): string {
  defaultPreference(app, key);
  const value = parseSettingValue('yes-no', raw);
  if (value === undefined) throw new ProvisioningFailed('preference-refused', `${app}/${key} is yes or no`);
  return value;
}
