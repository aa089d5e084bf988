const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const twoDigits = (number: number): string => String(number).padStart(2, '0');
const sixty = (write: (number: number) => string): string[] =>
  Array.from({ length: 60 }, (_, number) => write(number));
const HOURS = sixty((hour) => ` ${twoDigits(hour)}`);
const MINUTES = sixty((minute) => `:${twoDigits(minute)}`);
const SECONDS = sixty((second) => `:${twoDigits(second)} GMT`);

const DAY_MS = 86_400_000;

/** The day of the latest text, since 1970, and how it is written. Files of a folder often changed on the same day. */
let latest = { day: Number.NaN, text: '' };

/** A time as HTTP writes it (RFC 9110, 5.6.7), like `toUTCString` in less than half of its time: a listing has one for each entry. */
export function httpDate(time: Date): string {
  const at = time.getTime();
  const day = Math.floor(at / DAY_MS);
  if (day !== latest.day) {
    const year = time.getUTCFullYear();
    if (!(year >= 1000 && year <= 9999)) return time.toUTCString();
    const date = `${twoDigits(time.getUTCDate())} ${MONTHS[time.getUTCMonth()]} ${year}`;
    latest = { day, text: `${DAYS[time.getUTCDay()]}, ${date}` };
  }
  const second = Math.floor((at - day * DAY_MS) / 1000);
  const minute = Math.floor(second / 60);
  return latest.text + HOURS[Math.floor(minute / 60)]! + MINUTES[minute % 60]! + SECONDS[second % 60]!;
}
