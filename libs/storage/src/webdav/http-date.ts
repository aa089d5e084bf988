const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** A time as HTTP writes it (RFC 9110, 5.6.7), like `toUTCString` in half of its time: a listing has one for each entry. */
export function httpDate(time: Date): string {
  const year = time.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return time.toUTCString();
  const day = `${DAYS[time.getUTCDay()]}, ${TWO_DIGITS[time.getUTCDate()]} ${MONTHS[time.getUTCMonth()]} ${year}`;
  const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
  return `${day} ${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds]} GMT`;
}
