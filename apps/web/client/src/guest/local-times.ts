import { formatTime } from '../format';

/** Shows the times of a page in the browser's time zone, which the server does not know. */
export function showLocalTimes(): void {
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[datetime]'))
    element.textContent = formatTime(Date.parse(element.dateTime), document.documentElement.lang);
}
