import { useI18n } from 'vue-i18n';
import { RequestFailed } from './api/http';
import type { Messages } from './i18n/en';

const KNOWN_FAILURES = ['0', '403', '404', '405', '409', '412', '423', '429', '503', '507'];
/** OCS and calls of the pages have few statuses for many reasons. Except for these, only the message names the reason. */
const CERTAIN = ['429', '503'];

/** @returns a function that gives the reason of a failure as text */
export function useReasons(): (error: unknown) => string {
  const { t } = useI18n<{ message: Messages }>();
  return (error) => {
    const status = error instanceof RequestFailed ? String(error.status) : 'other';
    const said = error instanceof RequestFailed && error.status > 0 ? error.message : '';
    const isNamed = said !== '' && (error as RequestFailed).isNamed;
    const isKnown = (isNamed ? CERTAIN : KNOWN_FAILURES).includes(status);
    const known = t(`failure.${isKnown ? status : 'other'}`);
    return said === '' ? known : `${known} (${said})`;
  };
}
