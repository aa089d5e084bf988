import { formatTime } from '../format';

/** Writes the times of a page in the time zone of the browser, which the server does not know. */
export function showLocalTimes(): void {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[datetime]'))
    element.textContent = formatTime(Date.parse(element.dateTime), document.documentElement.lang);
}
