export function Logo({size = 24}: {size?: number}) {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <g fill="none" stroke-width="3" stroke-linecap="round">
        <path class="logo-back" d="M10 5c0 6 12 5 12 11s-12 5-12 11" />
        <path class="logo-front" d="M22 5c0 6-12 5-12 11s12 5 12 11" />
      </g>
    </svg>
  );
}
