import { useQueryClient, type QueryKey } from '@tanstack/vue-query';
import { inject, type InjectionKey } from 'vue';
import { useI18n } from 'vue-i18n';
import type { Session } from './api/session';
import type { Messages } from './i18n/en';
import { formatDay, formatSize, formatTime } from './format';
import { tell, underWay } from './messages';
import { useReasons } from './use-reasons';

export const SESSION: InjectionKey<Session> = Symbol('session');

/** Common parts of all pages: the account, texts, formats, and a way to report failures. */
export function usePage() {
  const session = inject(SESSION)!;
  const texts = useI18n<{ message: Messages }>();
  const { t, locale } = texts;
  const queries = useQueryClient();
  const reasonOf = useReasons();

  /** Does work for the person, and reports a failure. @returns whether it was done */
  async function attempt(work: () => Promise<unknown>): Promise<boolean> {
    underWay.value += 1;
    try {
      await work();
      return true;
    } catch (error) {
      tell({ text: reasonOf(error), isFailure: true });
      return false;
    } finally {
      underWay.value -= 1;
    }
  }

  /**
   * Reads data again that a change may have altered. A first reading that is still running may have been answered before
   * the change, so it is cancelled.
   */
  async function readAgain(queryKey: QueryKey = []): Promise<void> {
    await queries.cancelQueries({ queryKey });
    await queries.invalidateQueries({ queryKey });
  }

  /** Makes a change, and reads again the data that it may have altered. @returns whether it was made */
  async function change(work: () => Promise<unknown>, altered: QueryKey = []): Promise<boolean> {
    const isMade = await attempt(work);
    await readAgain(altered);
    return isMade;
  }

  /** Plain words for a value of the server; the value itself if there are none. @param place of the words among the texts */
  function wordsOf(place: string, value: string | null): string {
    const key = `${place}.${value}` as 'common.name';
    return texts.te(key) ? t(key) : (value ?? '');
  }

  return {
    session,
    t,
    wordsOf,
    attempt,
    change,
    readAgain,
    reasonOf,
    size: (bytes: number) => formatSize(bytes, locale.value),
    /** @param date such as `2026-11-30 00:00:00`, without a time zone */
    day: (date: string) => formatDay(date, locale.value),
    time: (milliseconds: number) => formatTime(milliseconds, locale.value),
  };
}
