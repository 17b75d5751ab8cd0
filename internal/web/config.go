package web

import "taper/internal/engine/table"

// Config is what the command line and the environment ask of the server.
type Config struct {
	Listen       string // host:port
	Data         string // the data folder
	PasswordHash string // argon2id in the PHC string format; "" is no sign-in
	Limits       table.Limits
	Version      string // written to every record, model and page
}
