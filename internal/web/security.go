package web

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// policy lets nothing run or load that this program did not serve as a file:
// a hostile header or level in a CSV has no way to become a script or a style.
const policy = "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

// headers sets what every answer carries. Pages, answers and uploads are never
// kept by a browser or proxy; the hashed static files say otherwise themselves.
func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}

// admitted lets what a request allocates be held out of the memory until it is answered.
func (s *Server) admitted(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx, end := cost.WithScope(c.Request().Context(), s.memory.Requests)
		defer end()
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// hosts refuses requests for a name that is not this program's: a foreign page
// whose name was made to point here (DNS rebinding) still says its own name. Which
// names lead to a trusted proxy is that one's to say; there is a password behind it.
func (s *Server) hosts(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		name := hostName(c.Request().Host)
		if !s.ownHost(name) && !(name != "" && s.cfg.TrustedProxies.sent(c.Request())) {
			return usererr.New(usererr.Forbidden, "This program does not answer for the host %q. Open it as http://%s.", name,
				s.cfg.Listen)
		}
		return next(c)
	}
}

// ownHost knows the names of this machine, and the one it was told to listen
// on. Off loopback every plain IP address will do: it cannot be rebound.
func (s *Server) ownHost(name string) bool {
	own := s.host()
	if loopbackName(name) || name != "" && strings.EqualFold(name, own) {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil && !loopbackName(own)
}

// origins refuses requests that change something and come from another site.
// Programs that send neither Origin nor Sec-Fetch-Site pass.
func origins(next echo.HandlerFunc) echo.HandlerFunc {
	guard := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		if guard.Check(c.Request()) != nil {
			return usererr.New(usererr.Forbidden, "This request comes from another site and would change data here.")
		}
		return next(c)
	}
}

// hostName is a Host header without its port and brackets; "" when the port is
// no number.
func hostName(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return ""
		}
		host = name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopbackName reports whether a host name can only mean this machine.
func loopbackName(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}
