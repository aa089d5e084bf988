import { ocs } from './ocs';

const CONFIG = 'apps/provisioning_api/api/v1/config/users';
const PLACES = {
  acceptShares: 'files_sharing/auto_accept_share',
  acceptTrusted: 'federatedfilesharing/auto_accept_share_trusted',
  beFound: 'files_sharing/allow_share_dialog_user_enumeration',
  beInAddressBook: 'federation/in_address_book',
  beFoundByMail: 'federation/found_by_mail',
} as const;
export type Preference = keyof typeof PLACES;
export const PREFERENCES = Object.keys(PLACES) as readonly Preference[];

export async function readPreferences(): Promise<Record<Preference, boolean>> {
  const values = await Promise.all(
    PREFERENCES.map(async (one) => {
      const { data } = await ocs<{ data: string }>('GET', `${CONFIG}/${PLACES[one]}`);
      return [one, data === 'yes'] as const;
    }),
  );
  return Object.fromEntries(values) as Record<Preference, boolean>;
}
export const setPreference = (one: Preference, isOn: boolean): Promise<unknown> =>
  ocs('POST', `${CONFIG}/${PLACES[one]}`, { value: isOn ? 'yes' : 'no' });
